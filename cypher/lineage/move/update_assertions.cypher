// Updates assertions whose edge has moved, and creates those that unite several.
UNWIND $rows AS row
MERGE (said:Assertion {id: row.id})
SET said = row.properties
RETURN row.at AS at
