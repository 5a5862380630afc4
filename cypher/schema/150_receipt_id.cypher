// One receipt per transaction: it fails when the transaction is sent again after it took place.
CREATE CONSTRAINT receipt_id IF NOT EXISTS FOR (n:Receipt) REQUIRE n.id IS UNIQUE
