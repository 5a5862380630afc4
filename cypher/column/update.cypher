// Replaces what columns say of themselves and their place among their siblings. What others keep on them stays.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (c:Column {key: column.key})<-[place:HAS_COLUMN]-()
SET c += column.properties, place.position = column.position
RETURN DISTINCT row.at AS at
