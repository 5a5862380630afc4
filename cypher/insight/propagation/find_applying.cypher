// Tells whether a tag belongs to a classification that applies by itself.
RETURN EXISTS {
  MATCH (:Entity {id: $tagId})<-[:CONTAINS]-(classification)
  WHERE classification.autoPropagate AND NOT classification.deleted
} AS appliesItself
