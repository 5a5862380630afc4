// Reads the custom properties of records and of all that contains them, the nearest first.
UNWIND $ids AS id
MATCH path = (n:Entity {id: id})<-[:CONTAINS*0..50]-(holder:Entity)
WHERE holder.extensionJson IS NOT NULL
WITH id, holder, length(path) AS distance
ORDER BY distance
RETURN id, collect(holder{.id, .entityType, .extensionJson}) AS holders
