// Lists every relationship with the ids of its nodes.
MATCH (from)-[r]->(to)
RETURN elementId(from) AS from, elementId(to) AS to, type(r) AS type, properties(r) AS properties
