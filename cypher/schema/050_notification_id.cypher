// Somebody is told of an event once: the id follows from both.
CREATE CONSTRAINT Notification_id IF NOT EXISTS FOR (n:Notification) REQUIRE n.id IS UNIQUE
