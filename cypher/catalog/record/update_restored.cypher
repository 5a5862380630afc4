// Gives restored records of one kind their label for live records again.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n:Live${LABEL}
RETURN row.at AS at
