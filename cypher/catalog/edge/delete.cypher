// Deletes edges of one type between records.
UNWIND $rows AS row
MATCH (:Entity {id: row.from})-[edge:${TYPE}]->(:Entity {id: row.to})
DELETE edge
RETURN row.at AS at
