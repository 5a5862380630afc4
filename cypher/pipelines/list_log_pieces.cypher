// Lists the pieces of a log that have lines of a range. A range before the first piece begins with that piece.
UNWIND $keys AS key
MATCH (piece:RunLogPiece {key: key})
WITH collect(piece) AS pieces, min(piece.before) AS first
WITH pieces, CASE WHEN first > toInteger($start) THEN first - toInteger($start) ELSE 0 END AS shift
UNWIND pieces AS piece
WITH piece, toInteger($start) + shift AS start, toInteger($end) + shift AS end
WHERE piece.before + piece.lines > start AND piece.before < end
WITH piece ORDER BY piece.before
RETURN piece.before AS before, piece.text AS text
