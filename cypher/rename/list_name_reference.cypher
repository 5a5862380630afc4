// Lists the records that name others in their texts, and how they do.
UNWIND $rows AS row
MATCH (naming:Naming {target: row.target})<-[:NAMES]-(owner:Entity)
USING INDEX SEEK naming:Naming(target)
WITH row, naming, owner
LIMIT toInteger($limit)
RETURN row.at AS at, owner.id AS ownerId, owner.entityType AS ownerType, naming.slot AS slot
