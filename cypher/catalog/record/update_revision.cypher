// Steps the revision of records whose version stays: after changes of followers, votes and other data next to them.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.revision = n.revision + 1, n += row.changes
RETURN row.at AS at
