// Lists every relationship with the nodes it joins.
MATCH (from)-[r]->(to)
RETURN elementId(from) AS from, elementId(to) AS to, type(r) AS type, properties(r) AS properties
