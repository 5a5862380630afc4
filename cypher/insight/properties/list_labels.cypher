// Lists the labels of some records with tags at or below a name.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[label:TAGGED]->(t:Entity)
WHERE t.entityType = 'tag' AND NOT t.deleted AND t.fullyQualifiedName STARTS WITH $scope
RETURN id, label{.*, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, displayName: t.displayName, description: t.description, styleJson: t.styleJson, entityType: t.entityType} AS label
