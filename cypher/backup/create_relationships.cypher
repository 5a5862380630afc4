// Creates relationships between nodes, which are found by their new ids.
UNWIND $rows AS row
MATCH (from) WHERE elementId(from) = row.from
MATCH (to) WHERE elementId(to) = row.to
CREATE (from)-[r:$(row.type)]->(to)
SET r = row.properties
RETURN count(*) AS created
