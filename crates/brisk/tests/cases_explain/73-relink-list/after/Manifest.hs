module Manifest (Target (..), parseManifest, sampleManifest) where

import Data.Char (isSpace)

data Target = Target
  { targetName :: String
  , needs      :: [String]
  } deriving Show

-- | Lines of the form @name: dep dep dep@; blank lines and comments are skipped.
parseManifest :: String -> [Target]
parseManifest txt =
  [ Target (trim name) (words (drop 1 rest))
  | l <- lines txt
  , let (name, rest) = break (== ':') (takeWhile (/= '#') l)
  , not (null rest)
  ]

trim :: String -> String
trim = f . f where f = reverse . dropWhile isSpace

sampleManifest :: Int -> String
sampleManifest n = unlines (map target [0 .. n - 1])
  where
    target i = "lib" ++ show i ++ ": " ++ unwords (map object (deps i))
    deps i = [i, (i * 7 + 3) `mod` n, (i * i + 11) `mod` n]
    object k = show k ++ "-obj.o"
