module Main (main) where

import Data.Bits (shiftR, xor)
import Registry
import System.Environment (getArgs)
import Text.Printf (printf)

routes :: [String]
routes = ["/", "/login", "/cart", "/cart/checkout", "/search", "/healthz"]

handle :: Registry -> Int -> IO ()
handle reg reqNo
  | noise `mod` 97 == 0 = record reg (Hit route 503 30000)
  | otherwise           = record reg (Hit route 200 (120 + noise `mod` 4000))
  where
    noise = (reqNo * 2654435761) `xor` (reqNo `shiftR` 3)
    route = routes !! (noise `shiftR` 5 `mod` length routes)

serve :: Registry -> Int -> IO ()
serve reg = go 1
  where
    go i n
      | i > n     = pure ()
      | otherwise = handle reg i >> go (i + 1) n

main :: IO ()
main = do
  args <- getArgs
  let requests = if null args then 1200000 else read (head args)
  reg <- newRegistry
  serve reg requests
  stats <- snapshot reg
  mapM_ line stats
  where
    line (name, e) =
      printf "%-16s %8d served %6d failed  slowest %6d us  mean %6d us\n"
        name (served e) (failed e) (slowest e) (total e `div` served e)
