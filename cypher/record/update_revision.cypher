// Steps the revision of records whose version stays: followers, votes, and what hangs beside them.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.revision = n.revision + 1, n += row.changes
RETURN row.at AS at
