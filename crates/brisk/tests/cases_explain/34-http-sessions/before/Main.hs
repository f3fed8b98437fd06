{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.Bits (xor)
import Data.Char (ord)
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Request
import Sessions

-- Stands in for the socket.
receive :: Int -> IO B.ByteString
receive k = return $ B.concat
  [ "POST /upload/", B.pack (show (k `mod` 40)), " HTTP/1.1\n"
  , "Host: example.org\n"
  , "Cookie: sid=", B.pack (show (k * 7919 `mod` 1000003)), "; theme=dark\n"
  , "\n"
  , B.replicate (3500 + k * 31 `mod` 2500) (toEnum (65 + k `mod` 26))
  ]

digest :: B.ByteString -> Int
digest = B.foldl' (\h c -> (h * 33 `xor` ord c) `mod` 16777213) 5381

serve :: Int -> IO (Int, Sessions)
serve total = loop 0 0 noSessions
  where
    loop k sig sessions
      | k == total = return (sig, sessions)
      | otherwise  = do
          raw <- receive (if k `mod` 4 == 3 then k `div` 4 else k)
          case parseRequest raw of
            Nothing  -> loop (k + 1) sig sessions
            Just req -> do
              let sig'      = (sig + digest (B.take 900 (reqBody req))) `mod` 1000000007
                  sessions' = track sessions req
              sig' `seq` sessions' `seq` loop (k + 1) sig' sessions'

main :: IO ()
main = do
  args <- getArgs
  let total = case args of
        (a : _) -> read a
        _       -> 36000 :: Int
  (sig, sessions) <- serve total
  putStrLn ("sessions: " ++ show (Map.size sessions))
  putStrLn ("digest:   " ++ show sig)
  mapM_ line (busiest 3 sessions)
  where
    line (sid, st) = B.putStrLn $
      B.concat ["  ", sid, ": ", B.pack (show (hits st)), " hits, ", B.pack (show (bytes st))]
