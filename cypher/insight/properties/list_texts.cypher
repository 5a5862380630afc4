// Reads the stored columns of some living records, and the records' own descriptions.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE NOT n.deleted
RETURN id, n.entityType AS entityType, n.description AS description, [name IN $names | n[name]] AS texts
