// Links nested columns to their parent columns.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (parent:Column {key: column.parentKey})
MATCH (child:Column {key: column.key})
CREATE (parent)-[:HAS_COLUMN {position: column.position}]->(child)
RETURN DISTINCT row.at AS at
