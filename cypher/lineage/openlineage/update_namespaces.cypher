// Assigns namespaces to records; each stands for one record.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (namespace:OpenLineageNamespace {name: row.name})
WITH n, namespace, row
OPTIONAL MATCH (namespace)-[former:STANDS_FOR]->()
DELETE former
WITH DISTINCT n, namespace, row.at AS at
CREATE (namespace)-[:STANDS_FOR]->(n)
RETURN at
