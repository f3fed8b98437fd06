module Corpus (wordStream) where

-- | An endless, repeatable text cut to the first @n@ words.
wordStream :: Int -> [String]
wordStream n = take n (map spell (generator 7))

generator :: Int -> [Int]
generator = tail . iterate next
  where
    next s = (s * 69069 + 1) `mod` 4294967296

-- Skewed, so that some words are far more common than others.
spell :: Int -> String
spell seed = syllable (r `mod` 17) ++ syllable (r * r `div` 64 `mod` 13)
  where
    r = seed `div` 65536 `mod` 1024

syllable :: Int -> String
syllable i = [consonants !! (i `mod` 8), vowels !! (i `div` 3 `mod` 5)]
  where
    consonants = "bdfklmnt"
    vowels = "aeiou"
