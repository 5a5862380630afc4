// Answers those of some records and their containers that have an owner or a follower, and whether somebody follows
// them including their descendants.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:CONTAINS|PARENT_OF*0..50]-(tied:Entity)
WITH tied, collect(DISTINCT id) AS ids
WITH tied, ids, EXISTS { (tied)<-[:OWNS]-() } AS isOwned, EXISTS { (tied)<-[:FOLLOWS]-() } AS isFollowed
WHERE isOwned OR isFollowed
RETURN tied.id AS id, ids, isOwned, isFollowed,
  isFollowed AND EXISTS { (tied)<-[:FOLLOWS]-(:User)-[:HAS_PREFERENCES]->(:NotificationPreferences {includeDescendants: true}) } AS isFollowedWhole
