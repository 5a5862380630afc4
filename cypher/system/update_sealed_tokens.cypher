// Replaces sealed tokens that have not changed since they were read.
UNWIND $rows AS row
MATCH (n:IssuedToken {id: row.id})
SET n.id = n.id
WITH n, row
WHERE n.sealed = row.former
SET n += row.changes
RETURN row.at AS at
