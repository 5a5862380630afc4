// Says that what callers may do has changed.
UNWIND $rows AS row
MERGE (n:Rights {name: row.name})
SET n.revision = coalesce(n.revision, 0) + 1
RETURN row.at AS at
