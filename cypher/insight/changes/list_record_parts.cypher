// Lists the contracts and tests of a record.
MATCH (n:Entity {id: $id})-[:HAS_CONTRACT|CONTAINS]->(part:DataContract|TestCase)
WITH DISTINCT part
LIMIT toInteger($limit)
RETURN part.id AS id
