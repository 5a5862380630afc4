// Tells columns by their new names in what sources say of edges, and said.
UNWIND $rows AS row
MATCH (said:Assertion {id: row.id})
SET said.contentJson = row.contentJson
RETURN row.at AS at
