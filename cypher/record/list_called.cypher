// Answers which records of one kind are called like one of some texts, which are in lower case.
MATCH (n:${LABEL})
WHERE toLower(n.name) IN $texts OR toLower(n.displayName) IN $texts OR toLower(n.fullyQualifiedName) IN $texts
RETURN n.id AS id, n.name AS name, n.displayName AS displayName, n.fullyQualifiedName AS fullyQualifiedName
