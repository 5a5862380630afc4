// Removes columns with everything that hangs on them.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (c:Column {key: column.key})
DETACH DELETE c
RETURN DISTINCT row.at AS at
