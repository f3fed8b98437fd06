{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Canvas
import Data.Char (ord)
import Data.Foldable (for_)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import System.Environment (getArgs)

series :: Int -> [(Int, Int)]
series n = [ (i * 4, 300 + (i * i * 31 + i * 7) `mod` 200 - 100) | i <- [0 .. n] ]

chart :: [(Int, Int)] -> Draw ()
chart pts = group "chart" $ do
  group "axes" $ do
    line axis (0, 300) (maximum (map fst pts), 300)
    line axis (0, 0) (0, 600)
  group "curve" $ for_ (zip pts (tail pts)) (uncurry (line curve))
  group "marks" $ for_ pts $ \p -> circle curve p 2
  where
    axis = Style "black" "none"
    curve = Style "steelblue" "white"

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        a : _ -> read a
        []    -> 1000
      svg = runDraw (chart (series n))
  putStrLn ("characters: " ++ show (T.length svg))
  putStrLn ("checksum: " ++ show (T.foldl' (\h c -> (h * 33 + ord c) `mod` 16777213) 5381 svg))
  mapM_ T.putStrLn (take 3 (T.lines svg))
