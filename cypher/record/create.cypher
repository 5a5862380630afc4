// Creates records of one kind.
UNWIND $rows AS row
CREATE (n:Entity:${LABEL}:Live${LABEL})
SET n = row.properties
RETURN row.at AS at
