// Parts records that one type of edge joins.
UNWIND $rows AS row
MATCH (:Entity {id: row.from})-[edge:${TYPE}]->(:Entity {id: row.to})
DELETE edge
RETURN row.at AS at
