// A mail subscription is found by its id.
CREATE CONSTRAINT MailSubscription_id IF NOT EXISTS FOR (n:MailSubscription) REQUIRE n.id IS UNIQUE
