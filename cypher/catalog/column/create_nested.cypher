// Creates the nodes of nested columns, which `catalog/column/create_nested_edges` then links to their parents.
UNWIND $rows AS row
UNWIND row.columns AS column
CREATE (c:Column)
SET c = column.properties
RETURN DISTINCT row.at AS at
