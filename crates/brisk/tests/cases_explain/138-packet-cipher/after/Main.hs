module Main (main) where

import qualified Data.ByteString as B
import Data.List (foldl')
import System.Environment (getArgs)
import Cipher
import Packet

main :: IO ()
main = do
  [arg] <- getArgs
  let packets = map makePacket [1 .. read arg]
      sealed = map (seal (sessionKey 77)) packets
      mixed = foldl' (\h p -> (h * 31 + checksum (payload p)) `mod` 1000003) 7 sealed
  putStrLn ("packets " ++ show (length packets))
  putStrLn ("bytes   " ++ show (sum (map (B.length . payload) packets)))
  putStrLn ("digest  " ++ show mixed)
