// What could not be delivered is kept once.
CREATE CONSTRAINT FailedDelivery_key IF NOT EXISTS FOR (n:FailedDelivery) REQUIRE n.key IS UNIQUE
