// Rewrites the content of current and past assertions after columns were renamed.
UNWIND $rows AS row
MATCH (said:Assertion {id: row.id})
SET said.contentJson = row.contentJson
RETURN row.at AS at
