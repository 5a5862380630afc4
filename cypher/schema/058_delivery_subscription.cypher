// A subscription has come so far, and no other way.
CREATE CONSTRAINT Delivery_subscriptionId IF NOT EXISTS FOR (n:Delivery) REQUIRE n.subscriptionId IS UNIQUE
