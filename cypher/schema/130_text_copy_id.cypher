// A copy of long texts is looked up by its id.
CREATE CONSTRAINT TextCopy_id IF NOT EXISTS FOR (n:TextCopy) REQUIRE n.id IS UNIQUE
