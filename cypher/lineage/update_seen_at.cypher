// Updates the confirmation time when sources repeat unchanged assertions.
UNWIND $rows AS row
MATCH (said:Assertion {id: row.id})
MATCH (:Entity {id: row.from})-[edge:FEEDS]->(:Entity {id: row.to})
SET said.seenAt = row.seenAt, edge.seenAt = row.seenAt
RETURN row.at AS at
