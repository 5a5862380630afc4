// Creates columns that will hang below other columns.
UNWIND $rows AS row
UNWIND row.columns AS column
CREATE (c:Column)
SET c = column.properties
RETURN DISTINCT row.at AS at
