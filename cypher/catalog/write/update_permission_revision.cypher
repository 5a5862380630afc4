// Increases the revision of the rights after a change.
UNWIND $rows AS row
MERGE (n:Rights {name: row.name})
SET n.revision = coalesce(n.revision, 0) + 1
RETURN row.at AS at
