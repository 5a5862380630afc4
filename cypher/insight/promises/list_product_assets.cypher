// Lists the assets that a data product offers to others, and then those that belong to it, by name.
MATCH (:Entity {id: $id})-[edge:HAS_OUTPUT|HAS_ASSET]->(n:Entity)
WHERE NOT n.deleted
WITH n, 'HAS_OUTPUT' IN collect(type(edge)) AS isOutput
ORDER BY isOutput DESC, n.fullyQualifiedName, n.id
LIMIT toInteger($limit)
RETURN n.id AS id, n.entityType AS entityType, isOutput
