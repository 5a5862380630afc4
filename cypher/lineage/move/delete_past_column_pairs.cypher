// Deletes the past column pairs of the columns of records, by the common start of their keys.
UNWIND $rows AS row
MATCH (column:Column)
WHERE column.key STARTS WITH row.prefix
MATCH (column)-[pair:DERIVED]-()
DELETE pair
RETURN DISTINCT row.at AS at
