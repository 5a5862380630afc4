// Answers those of some records, and of the containers that they lie in, which somebody owns or follows, and whether somebody follows them together with all that lies in them.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:CONTAINS|PARENT_OF*0..50]-(tied:Entity)
WITH tied, collect(DISTINCT id) AS ids
WITH tied, ids, EXISTS { (tied)<-[:OWNS]-() } AS isOwned, EXISTS { (tied)<-[:FOLLOWS]-() } AS isFollowed
WHERE isOwned OR isFollowed
RETURN tied.id AS id, ids, isOwned, isFollowed,
  isFollowed AND EXISTS { (tied)<-[:FOLLOWS]-(:User)-[:PREFERS]->(:NotificationPreferences {includeDescendants: true}) } AS isFollowedWhole
