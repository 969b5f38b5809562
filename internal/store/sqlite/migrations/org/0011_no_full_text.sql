-- Searches read an index of their own, which is no part of this file.
DROP TABLE memory_words;
DROP TABLE memory_text;
