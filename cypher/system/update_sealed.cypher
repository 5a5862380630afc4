// Replaces texts of records that are still what they were when they were read; one that somebody changed meanwhile is left.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.id = n.id
WITH n, row
WHERE properties(n)[row.property] = row.former
SET n += row.changes
RETURN row.at AS at
