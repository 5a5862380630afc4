// Lists the columns of records by the common start of their keys.
UNWIND $prefixes AS prefix
MATCH (column:Column)
WHERE column.key STARTS WITH prefix
WITH prefix, column
LIMIT toInteger($limit)
RETURN prefix, column.key AS key, column.fullyQualifiedName AS fqn
