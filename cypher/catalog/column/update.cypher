// Updates the properties of columns and their positions; edges and nodes that others attach to a column stay.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (c:Column {key: column.key})<-[place:HAS_COLUMN]-()
SET c += column.properties, place.position = column.position
RETURN DISTINCT row.at AS at
