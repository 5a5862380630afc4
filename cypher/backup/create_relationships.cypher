// Creates relationships between nodes that are found by the ids that they have now.
UNWIND $rows AS row
MATCH (from) WHERE elementId(from) = row.from
MATCH (to) WHERE elementId(to) = row.to
CREATE (from)-[r:$(row.type)]->(to)
SET r = row.properties
RETURN count(*) AS created
