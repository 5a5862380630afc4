// Gives restored records their label for live records again.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n:$('Live' + row.label)
RETURN row.at AS at
