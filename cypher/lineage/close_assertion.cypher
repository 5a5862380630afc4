// Closes assertions of sources about edges.
UNWIND $rows AS row
MATCH (said:Assertion {id: row.id})
SET said.until = row.until
RETURN row.at AS at
