module Plan (linkOrder, commandLine, relinkPlan) where

import Data.Containers.ListUtils (nubOrd)

import Manifest

-- | All the objects that the targets need, each once, in the order in which
-- they are first mentioned (the linker cares).
linkOrder :: [Target] -> [String]
linkOrder = nubOrd . concatMap needs

commandLine :: String -> [String] -> String
commandLine out objs = unwords ("ld" : "-o" : out : objs)

-- | A response file per chunk of objects, then the final command.
relinkPlan :: Int -> [Target] -> [String]
relinkPlan chunkSize ts = zipWith respond [1 :: Int ..] (chunks objs) ++ [final]
  where
    objs = linkOrder ts
    respond k os = commandLine ("part" ++ show k ++ ".o") os
    final = commandLine "app" ["part" ++ show k ++ ".o" | (k, _) <- zip [1 :: Int ..] (chunks objs)]
    chunks [] = []
    chunks xs = let (a, b) = splitAt chunkSize xs in a : chunks b
