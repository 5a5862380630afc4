// Lists the owners of texts that name given records, and the slot of each name.
UNWIND $rows AS row
MATCH (naming:Naming {target: row.target})<-[:REFERENCES_NAME]-(owner:Entity)
USING INDEX SEEK naming:Naming(target)
WITH row, naming, owner
LIMIT toInteger($limit)
RETURN row.at AS at, owner.id AS ownerId, owner.entityType AS ownerType, naming.slot AS slot
