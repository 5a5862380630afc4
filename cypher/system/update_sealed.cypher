// Replaces texts of records that have not changed since they were read.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.id = n.id
WITH n, row
WHERE properties(n)[row.property] = row.former
SET n += row.changes
RETURN row.at AS at
